// Handlers of editorial.json. `this` is what the run knows: common_data, last_response and the
// conversations; nothing else can be reached from here.
export default {
  assign() {
    const { subject } = this.common_data;
    this.desk().addMessage("user", `Write a notice of two sentences about: ${subject}`);
  },

  keepDraft() {
    const draft = this.last_response?.choices?.[0]?.message?.content ?? "";
    this.common_data.notice = draft;
    this.desk().addMessage("assistant", draft);
  },

  toEditor() {
    return "edit";
  },

  keepVerdict() {
    const verdict = this.called("verdict");
    this.common_data.rounds++;
    this.common_data.fit = verdict?.fit === true;
    if (!this.common_data.fit) {
      this.desk().addMessage("user", verdict?.remark || "Please make it shorter.");
    }
  },

  printOrRewrite() {
    const { fit, rounds, max_rounds } = this.common_data;
    return fit || rounds >= max_rounds ? "stop" : "rewrite";
  },

  // ---- called by the handlers above ----
  desk() {
    return this.workflow_contexts.get("desk");
  },

  called(name) {
    const calls = this.last_response?.choices?.[0]?.message?.tool_calls ?? [];
    const call = calls.find((one) => one.function.name === name);
    try {
      return call ? JSON.parse(call.function.arguments) : null;
    } catch (error) {
      console.error(`the arguments of ${name} are no JSON: ${error.message}`);
      return null;
    }
  },
};
