export default {
  greet() {
    this.workflow_contexts.get("quay").addMessage("user", this.common_data.guest);
  },
  decide() {
    return /yes/i.test(this.lastAgentResponse) ? "sell" : "stop";
  },
  keep() {
    this.common_data.ticket = this.lastAgentResponse;
  },
};
