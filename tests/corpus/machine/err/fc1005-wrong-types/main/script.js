export default {
  greet() {
    this.workflow_contexts.get("hall").addMessage("user", `Greet ${this.common_data.guest}.`);
  },
  keep() {
    this.common_data.greeting = this.last_response.choices[0].message.content;
  },
};
