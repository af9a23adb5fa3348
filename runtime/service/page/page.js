"use strict";
/* Keeps the page of an execution up to date: it listens to the service's events and asks htmx for the
   parts that changed. Without it the page is whole, and shows what is new when it is loaded again. */
(function () {
  var live = document.getElementById("live");
  var PAUSE = 300; // milliseconds between two updates

  /* A list whose items have ids: what is the same stays, with whatever was typed into it. */
  function merge(list, next) {
    var append = list.dataset.keyed === "append";
    var below = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    var before = null;
    Array.from(next.children).forEach(function (item) {
      var own = document.getElementById(item.id);
      var inside = own && list.contains(own);
      if (inside && (append || own.dataset.digest === item.dataset.digest)) {
        before = own;
        return;
      }
      if (inside) own.replaceWith(item);
      else if (append) list.appendChild(item);
      else list.insertBefore(item, before ? before.nextSibling : list.firstChild);
      htmx.process(item);
      before = item;
    });
    if (append) {
      if (below) list.scrollTop = list.scrollHeight;
      return;
    }
    var kept = new Set(Array.from(next.children).concat(before).map(function (item) { return item && item.id; }));
    Array.from(list.children).forEach(function (item) { if (!kept.has(item.id)) item.remove(); });
  }

  function update(target, next) {
    target.dataset.digest = next.dataset.digest;
    Array.from(next.children).forEach(function (part) {
      var own = part.id && document.getElementById(part.id);
      if (!own || !target.contains(own)) target.appendChild(part);
      else if ("keyed" in part.dataset) merge(own, part);
      else own.replaceWith(part);
    });
  }

  /* What stands for an element when its part of the page is made anew. */
  function keyOf(element) {
    var form = element.form || element.closest("form"), item = element.closest("li[id]");
    if (element.id) return "#" + element.id;
    if (element.dataset.node !== undefined) return "node " + element.dataset.node;
    var about = form ? [form.getAttribute("action"), element.name, element.type === "radio" ? element.value : ""]
      : [element.getAttribute("href") || element.textContent];
    return [item ? item.id : ""].concat(about).join(" ");
  }

  function among(part, selector, key) {
    return Array.from(part.querySelectorAll(selector)).find(function (one) { return keyOf(one) === key; });
  }

  /* Before a part is made anew: what has the focus, what was typed and not sent, how far it is
     scrolled. Returns what puts that back. */
  function kept(part) {
    var focus = document.activeElement, inside = focus && part.contains(focus) && focus !== part;
    var key = inside ? keyOf(focus) : "", tag = inside ? focus.tagName : "";
    var from = inside && focus.selectionStart, to = inside && focus.selectionEnd;
    var typed = Array.from(part.querySelectorAll("input:not([type=hidden]), textarea")).filter(function (one) {
      return one.checked !== one.defaultChecked || one.value !== one.defaultValue;
    });
    var scrolled = Array.from(part.querySelectorAll(".scroll")).map(function (one) { return [one.scrollLeft, one.scrollTop]; });
    return function (fresh) {
      typed.forEach(function (one) {
        var again = among(fresh, one.tagName, keyOf(one));
        if (!again || again.readOnly) return;
        if (one.type === "radio" || one.type === "checkbox") again.checked = one.checked;
        else again.value = one.value;
      });
      fresh.querySelectorAll(".scroll").forEach(function (one, at) {
        if (!scrolled[at]) return;
        one.scrollLeft = scrolled[at][0];
        one.scrollTop = scrolled[at][1];
      });
      if (!inside || document.activeElement !== document.body) return;
      var same = among(fresh, tag, key);
      (same || fresh).focus({ preventScroll: true });
      if (same && typeof from === "number") same.setSelectionRange(from, to);
    };
  }

  document.addEventListener("htmx:oobBeforeSwap", function (event) {
    var target = event.detail.target, next = event.detail.fragment.firstElementChild;
    if (!next || !target.dataset.digest) return;
    if (target.dataset.digest === next.dataset.digest) {
      event.preventDefault();
      return;
    }
    var put = kept(target);
    if (next.querySelector("[data-keyed]")) {
      event.preventDefault();
      update(target, next);
      put(target);
    } else {
      setTimeout(function () {
        var fresh = document.getElementById(next.id);
        if (fresh) put(fresh);
        sized();
      }, 0);
    }
  });

  /* A form that was sent may be gone with the answer, and with it what had the focus. */
  document.addEventListener("htmx:afterSettle", function (event) {
    var outcome = document.getElementById("outcome"), form = event.detail.requestConfig && event.detail.requestConfig.elt;
    if (event.detail.target !== outcome || event.detail.elt !== outcome) return;
    setTimeout(function () {
      var focus = document.activeElement;
      if (focus && focus !== document.body && !focus.classList.contains("part")) return;
      var button = event.detail.xhr.status >= 400 && form && form.isConnected && form.querySelector("button");
      (button || outcome).focus({ preventScroll: true });
    }, 0);
  });

  /* Pictures are drawn at their size, and smaller where there is less room. */
  function sized() {
    document.querySelectorAll("svg#picture").forEach(function (svg) {
      var room = svg.parentElement.clientWidth - 4, width = Number(svg.dataset.width);
      var scale = Math.max(0.62, Math.min(1, room / width));
      svg.setAttribute("width", Math.round(width * scale));
      svg.setAttribute("height", Math.round(Number(svg.dataset.height) * scale));
    });
  }
  sized();
  window.addEventListener("resize", sized);

  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target.id === "outcome") event.detail.target.scrollIntoView({ block: "nearest" });
  });
  if (!live) return;

  var id = live.dataset.execution, position = Number(live.dataset.position);
  var state = document.getElementById("live-state");
  var timer = null, source = null, over = false;

  function say(name, text) {
    if (state.dataset.state === name) return;
    state.dataset.state = name;
    state.textContent = text;
  }

  function refresh() {
    timer = null;
    var last = document.querySelector("#log-rows li:last-child");
    var after = last ? last.id.replace("log-", "") : "0";
    var have = Array.from(document.querySelectorAll(".part[data-digest]")).map(function (part) { return part.dataset.digest; });
    htmx.ajax("GET", "/executions/" + id + "/live?after=" + after + "&have=" + have.join("."), { source: live, swap: "none" });
    if (over) return;
  }

  function soon() {
    if (timer === null) timer = setTimeout(refresh, PAUSE);
  }

  /* What a model is writing: a block for each place, as text and never as HTML. */
  var LONGEST = 20000, blocks = {};
  function write(said) {
    var writing = document.getElementById("writing"), block = blocks[said.place];
    if (said.over) {
      if (block) block.remove();
      delete blocks[said.place];
    } else {
      if (!block) {
        block = blocks[said.place] = document.createElement("div");
        block.appendChild(document.createElement("p")).className = "label";
        block.appendChild(document.createElement("pre")).className = "text";
        block.firstChild.textContent = said.place;
        block.lastChild.tabIndex = 0;
        block.lastChild.setAttribute("aria-label", "What the model of " + said.place + " is writing");
        writing.appendChild(block);
      }
      var text = block.lastChild, below = text.scrollHeight - text.scrollTop - text.clientHeight < 24;
      var whole = (said.begin ? text.textContent : "") + said.text;
      text.textContent = whole.length > LONGEST ? "…" + whole.slice(-LONGEST) : whole;
      if (below) text.scrollTop = text.scrollHeight;
    }
    writing.hidden = !Object.keys(blocks).length;
  }

  function listen() {
    if (source || over || document.hidden) return;
    source = new EventSource("/v1/executions/" + id + "/events?texts=true&after=" + position);
    source.onopen = function () { say("on", "live"); };
    source.onmessage = function (event) {
      position = Number(event.lastEventId) || position;
      soon();
    };
    source.addEventListener("standing", soon);
    source.addEventListener("text", function (event) { write(JSON.parse(event.data)); });
    source.addEventListener("end", function () {
      over = true;
      stop();
      say("off", "it has ended");
      soon();
    });
    source.onerror = function () {
      say("lost", "connecting again …");
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(listen, 5000);
      }
    };
  }

  function stop() {
    if (source) source.close();
    source = null;
  }

  /* A page that nobody looks at keeps no connection. */
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) stop();
    else { soon(); listen(); }
  });
  window.addEventListener("pagehide", stop);
  listen();

  function open(number) {
    htmx.ajax("GET", "/executions/" + id + "/nodes/" + number, { target: "#node", swap: "innerHTML" }).then(function () {
      var panel = document.getElementById("node");
      panel.focus({ preventScroll: true });
      panel.scrollIntoView({ block: "nearest" });
    });
  }
  document.addEventListener("click", function (event) {
    var node = event.target.closest("[data-node]"), go = event.target.closest("[data-go]");
    if (go && !event.ctrlKey && !event.metaKey) { event.preventDefault(); open(go.dataset.go); }
    else if (node && node.closest("[data-nodes]")) open(node.dataset.node);
  });
  document.addEventListener("keydown", function (event) {
    var node = event.target.closest && event.target.closest("[data-node]");
    if (node && node.closest("[data-nodes]") && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      open(node.dataset.node);
    }
  });
})();
