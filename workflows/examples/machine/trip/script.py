"""Handlers of trip.json: `self` is what the run knows. They run in a process of their own."""

LONGEST = 120


def ask_for_a_plan(self):
    say(self, f"Plan a day: {self.common_data['wish']}")


def ask_for_less(self):
    say(self, f"At most {LONGEST} characters, please.")


def take_up(self):
    say(self, self.common_data["resume_input"])


def keep_proposal(self):
    plan = self.last_response["choices"][0]["message"]["content"]
    self.common_data["plan"] = plan
    self.common_data["proposals"].append(plan)
    self.workflow_contexts.get("talk").addMessage("assistant", plan)


def check(self):
    return "shorten" if len(self.common_data["plan"]) > LONGEST else "stop"


def say(self, text):
    self.workflow_contexts.get("talk").addMessage("user", text)
