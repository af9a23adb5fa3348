def greet(self):
    self.common_data['greeting' = 'Hello'


def keep(self):
    pass
