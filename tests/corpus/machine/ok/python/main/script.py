"""The same functions in Python."""


def greet(self):
    self.workflow_contexts.get("hall").addMessage("user", f"Greet {self.common_data['guest']}.")


def keep(self):
    self.common_data["greeting"] = self.last_response["choices"][0]["message"]["content"]


def hear(self):
    self.common_data["guest"] = self.common_data["resume_input"]


def decide(self):
    return "stop" if self.common_data.get("greeting") else "start"
