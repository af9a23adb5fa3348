// What a script finds around it, and the one function through which it is called: JSON in, JSON out.
// It runs before the script in every context and keeps what it needs of the language for itself, so
// that a script that changes Object, JSON or Map harms nothing but its own call.
(function (setting) {
  "use strict";
  const { parse, stringify } = JSON;
  const { create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, keys } = Object;
  const { construct, apply, ownKeys } = Reflect;
  const { isArray } = Array;
  const { isFinite } = Number;
  const { isView } = ArrayBuffer;
  const hasOwn = Object.hasOwn;
  const text = String;
  const lineOf = getOwnPropertyDescriptor(Function.prototype, "lineNumber").get;
  const columnOf = getOwnPropertyDescriptor(Function.prototype, "columnNumber").get;
  const opaque = [Map, Set, WeakMap, WeakSet, WeakRef, Promise, RegExp, Error, ArrayBuffer];
  const RealMap = Map;
  const RealDate = Date;
  const RealTypeError = TypeError;
  const plain = Object.prototype;
  const RealPromise = Promise;
  const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;
  const { replace } = String.prototype;
  const { join } = Array.prototype;
  const MAX_DEPTH = 200;
  const { now, seed, logLines, logChars, resultChars } = setting;

  // ---- time and chance: fixed by the run, the same whenever this call is repeated ----
  function FixedDate(...given) {
    if (!new.target) return text(new RealDate(now));
    return construct(RealDate, given.length ? given : [now], new.target);
  }
  FixedDate.prototype = RealDate.prototype;
  FixedDate.now = () => now;
  FixedDate.parse = RealDate.parse;
  FixedDate.UTC = RealDate.UTC;
  defineProperty(FixedDate, "name", { value: "Date" });
  put(RealDate.prototype, "constructor", FixedDate);
  put(globalThis, "Date", FixedDate);
  put(globalThis, "performance", { now: () => 0, timeOrigin: now });
  let [a, b, c, d] = seed;
  Math.random = function random() {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };

  // ---- console: kept up to a bound, never written by the script itself ----
  const logs = [];
  let logged = 0;
  let left = 0;
  function log(level) {
    return function (...said) {
      if (logs.length >= logLines || logged >= logChars) {
        left += 1;
        return;
      }
      let line = "";
      for (let n = 0; n < said.length; n += 1) line += (n ? " " : "") + shown(said[n]);
      line = text(line).slice(0, logChars - logged);
      logged += line.length;
      logs[logs.length] = [level, line];
    };
  }
  function shown(value) {
    if (typeof value === "string") return value;
    if (value instanceof Error) return text(value);
    try {
      const written = stringify(value);
      return written === undefined ? text(value) : written;
    } catch {
      return "[" + typeof value + "]";
    }
  }
  globalThis.console = {
    log: log("info"), info: log("info"), debug: log("debug"), warn: log("warn"), error: log("error"),
  };

  // ---- conversations (J11 to J13, J27) ----
  function lengthOf(content) {
    return typeof content === "string" ? apply(replace, content, [pairs, "_"]).length : 0;
  }
  function trimmed(messages, maxChars, keepMin) {
    let total = 0;
    let others = 0;
    for (const message of messages) {
      total += lengthOf(message.content);
      if (message.role !== "system") others += 1;
    }
    if (total <= maxChars || others <= keepMin) return null;
    const systems = [];
    const rest = [];
    for (const message of messages) {
      if (message.role === "system") systems[systems.length] = message;
      else if (total > maxChars && others > keepMin) {
        total -= lengthOf(message.content);
        others -= 1;
      } else rest[rest.length] = message;
    }
    return [...systems, ...rest];
  }
  class WorkflowContext {
    #given;
    #messages;
    #fresh = false;
    constructor(given) {
      this.#given = given;
      this.#messages = [...given.messages];
    }
    addMessage(role, content) {
      const message = typeof role === "object" && role !== null ? parse(written(role, "a message"))
        : { role, content };
      if (typeof message.role !== "string" || !message.role
        || typeof message.content !== "string" || !message.content) {
        throw new TypeError("a message needs a role and a content that is not empty");
      }
      this.#messages[this.#messages.length] = message;
      const { max_chars: maxChars, keep_min: keepMin } = this.#given;
      const cut = maxChars === null ? null : trimmed(this.#messages, maxChars, keepMin);
      if (cut !== null) {
        this.#messages = cut;
        this.#fresh = true;
      }
    }
    getMessages() { return copied(this.#messages); }
    getMessagesByRole(role) { return copied(this.#messages.filter((m) => m.role === role)); }
    getLastMessage() { return copied(this.#messages.slice(-1))[0]; }
    hasMessages() { return this.#messages.length > 0; }
    clearMessages() {
      this.#messages = [];
      this.#fresh = true;
    }
    static changes(context) {
      const before = context.#given.messages.length;
      if (context.#fresh) return { reset: context.#messages };
      const added = [];
      for (let n = before; n < context.#messages.length; n += 1) {
        added[n - before] = context.#messages[n];
      }
      return added.length ? { append: added } : null;
    }
  }
  function copied(messages) {
    return messages.map((message) => parse(stringify(message)));
  }
  const { changes } = WorkflowContext;
  delete WorkflowContext.changes;

  // ---- values that cross ----
  // Throws unless the value is one of JSON. Nothing is copied, and the path is only written when
  // there is something to say: a state may be large.
  function fit(value, depth, path) {
    switch (typeof value) {
      case "string": case "boolean": case "undefined": return;
      case "number":
        if (!isFinite(value)) throw unfit(path, `is ${text(value)}, which is no JSON value`);
        return;
      case "object": break;
      default: throw unfit(path, `holds a ${typeof value}, which is no JSON value`);
    }
    if (value === null) return;
    if (depth > MAX_DEPTH) {
      throw unfit(path, `holds itself, or is nested more than ${MAX_DEPTH} levels deep`);
    }
    if (isArray(value)) {
      for (let n = 0; n < value.length; n += 1) {
        fit(value[n], depth + 1, path && `${path}[${n}]`);
      }
      return;
    }
    const kind = getPrototypeOf(value);
    if (kind !== plain && kind !== null) {
      fitKind(value, path);
      if (typeof value.toJSON === "function") return;
    }
    const names = keys(value);
    for (let n = 0; n < names.length; n += 1) {
      fit(value[names[n]], depth + 1, path && `${path}.${names[n]}`);
    }
  }
  function fitKind(value, path) {
    for (let n = 0; n < opaque.length; n += 1) {
      if (value instanceof opaque[n]) {
        throw unfit(path, `is a ${opaque[n].name}, which is no JSON value`);
      }
    }
    if (isView(value)) throw unfit(path, "is binary data, which is no JSON value");
  }
  function unfit(path, why) {
    return new RealTypeError(`${path} ${why}`);
  }
  function written(value, path) {
    try {
      fit(value, 0, "");
    } catch {
      fit(value, 0, path);
    }
    const whole = stringify(value);
    return whole === undefined ? "null" : whole;
  }
  function put(object, key, value) {
    defineProperty(object, key, { value, writable: true, configurable: true, enumerable: false });
  }
  function set(object, key, value) {
    defineProperty(object, key, { value, writable: true, configurable: true, enumerable: true });
  }
  // ---- the script, loaded as the module it is ----
  let script = null;
  let broken = null;
  function load() {
    import("<input>").then(
      (module) => { script = hasOwn(module, "default") ? module.default : module; },
      (error) => { broken = failure(error); },
    );
  }
  function loaded() {
    return stringify({ ready: script !== null || broken !== null, error: broken });
  }
  function place(name) {
    const found = isObject(script) && hasOwn(script, name) && typeof script[name] === "function";
    if (!found) return "null";
    return stringify([apply(lineOf, script[name], []), apply(columnOf, script[name], [])]);
  }
  function isObject(value) {
    return (typeof value === "object" || typeof value === "function") && value !== null;
  }
  function failure(error) {
    try {
      if (!(error instanceof Error)) return { name: "", message: shown(error), stack: "" };
      return { name: text(error.name), message: text(error.message), stack: text(error.stack) };
    } catch {
      return { name: "", message: "an error that cannot be shown", stack: "" };
    }
  }

  // ---- one call ----
  function call(job) {
    try {
      return called(parse(job));
    } catch (error) {
      return stringify({ error: failure(error), logs, left });
    }
  }
  function called(job) {
    const self = {};
    const before = create(null);
    for (const key of ownKeys(script)) {
      if (typeof key !== "string") continue;
      set(self, key, script[key]);
      if (typeof script[key] !== "function") before[key] = written(script[key], `this.${key}`);
    }
    for (const key of keys(job.kept)) {
      before[key] = stringify(job.kept[key]);
      set(self, key, job.kept[key]);
    }
    const shared = create(null);
    for (const key of keys(job.shares)) {
      shared[key] = stringify(job.shares[key]);
      set(self, key, job.shares[key]);
    }
    const contexts = [];
    const map = new RealMap();
    for (const name of keys(job.threads)) {
      const context = new WorkflowContext(job.threads[name]);
      contexts[contexts.length] = [name, context];
      map.set(name, context);
    }
    set(self, "workflow_contexts", map);
    const held = { ...job.shares };
    const value = apply(script[job.function], self, job.args);
    return collected(job, self, value, { before, shared, held, contexts });
  }
  function collected(job, self, value, was) {
    let result = "null";
    if (job.wants) result = written(value, "what it returned");
    else if (value instanceof RealPromise) {
      logs[logs.length] = ["warn", "a promise was returned, and promises are not awaited"];
    }
    const shares = [];
    const fixed = create(null);
    for (let n = 0; n < job.fixed.length; n += 1) fixed[job.fixed[n]] = true;
    for (const name of keys(was.shared)) {
      const source = fixed[name] ? was.held : self;
      const now = written(source[name], `this.${name}`);
      if (now !== was.shared[name]) shares[shares.length] = [name, now];
    }
    const threads = [];
    for (const [name, context] of was.contexts) {
      const change = changes(context);
      if (change !== null) threads[threads.length] = [name, written(change, name)];
    }
    const whole = object([
      ["value", result],
      ["shares", object(shares)],
      ["kept", keptNow(job, self, was)],
      ["threads", object(threads)],
      ["logs", stringify(logs)],
      ["left", text(left)],
    ]);
    if (whole.length > resultChars) {
      throw new RangeError(`it gave more than ${resultChars} characters`);
    }
    return whole;
  }
  function keptNow(job, self, was) {
    const kept = [];
    let same = true;
    for (const key of keys(self)) {
      if (key === "workflow_contexts" || hasOwn(was.shared, key)) continue;
      if (typeof self[key] === "function" && hasOwn(script, key)) continue;
      const now = written(self[key], `this.${key}`);
      const already = hasOwn(job.kept, key);
      if (!already && (self[key] === undefined || was.before[key] === now)) continue;
      kept[kept.length] = [key, now];
      same = same && already && was.before[key] === now;
    }
    for (const key of keys(job.kept)) same = same && hasOwn(self, key);
    return same ? "null" : object(kept);
  }
  function object(members) {
    // Joined, not added up: a sum of long texts is a tree inside the engine, which Python cannot read.
    const parts = ["{"];
    for (let n = 0; n < members.length; n += 1) {
      parts[parts.length] = (n ? "," : "") + stringify(members[n][0]) + ":";
      parts[parts.length] = members[n][1];
    }
    parts[parts.length] = "}";
    return apply(join, parts, [""]);
  }
  return { load, loaded, place, call };
})
