// Handlers for the shop of the corpus, whose own script it does not hold: written after what its
// runs show, one conversation in which a customer goes on asking or ends with a summary.
export default {
  addInitialCustomerMessage() {
    this.talk().addMessage("user", this.common_data.initial_customer_request);
  },
  addWorkerResponse() {
    const answer = this.last_response?.choices?.[0]?.message?.content;
    if (answer) this.talk().addMessage("assistant", answer);
  },
  alwaysTransitionToCustomer() {
    return "customer_decision";
  },
  processCustomerDecision() {
    const call = this.last_response?.choices?.[0]?.message?.tool_calls?.[0];
    this.goesOn = false;
    if (!call) return;
    try {
      const decision = JSON.parse(call.function.arguments);
      this.goesOn = decision.continue_shopping === true;
      if (this.goesOn) this.talk().addMessage("user", decision.continue_message);
      else this.common_data.interaction_summary = decision.shopping_summary;
    } catch (error) {
      console.error("no decision", error.message);
    }
  },
  decideNextState() {
    return this.goesOn ? "worker_response" : "stop";
  },
  talk() {
    return this.workflow_contexts.get("store_conversation");
  },
};
