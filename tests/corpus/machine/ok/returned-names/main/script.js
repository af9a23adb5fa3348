export default {
  greet() {
    this.workflow_contexts.get("hall").addMessage("user", `Greet ${this.common_data.guest}.`);
  },
  keep() {
    this.common_data.greeting = this.last_response.choices[0].message.content;
  },
  next() {
    this.common_data.visits += 1;
    if (this.common_data.visits > 3) {
      return "stop";
    } else if (!this.common_data.greeting) return "again";
    return this.common_data.guest ? "listen" : 'refuse';
  },
  apologise: function () {
    this.common_data.greeting = "Nobody is there.";
  },
  anywhere: () => ["again", "stop"].find((name) => name.length > 4),
};
