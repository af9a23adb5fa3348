"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const canvas = byId("canvas"), svg = byId("picture"), panel = byId("panel");
  const find = byId("find"), found = byId("found");
  const width = Number(svg.dataset.width), height = Number(svg.dataset.height);
  const nodes = [...svg.querySelectorAll("[data-node]")];
  const lines = [...svg.querySelectorAll("[data-line]")];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let view = { x: 0, y: 0, w: width, h: height };
  let chosen = -1, hits = [], hit = -1, flight = 0;

  // --- light and dark -------------------------------------------------------------------------
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = (on) => document.documentElement.classList.toggle("dark", on);
  paint(dark.matches);
  dark.addEventListener("change", (event) => paint(event.matches));
  byId("theme").addEventListener("click", () =>
    paint(!document.documentElement.classList.contains("dark")));

  // --- the view: the part of the picture that fills the canvas ----------------------------------
  const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const scale = () => Math.min(canvas.clientWidth / view.w, canvas.clientHeight / view.h) || 1;
  const normalize = (v) => {
    const ratio = (canvas.clientWidth || 1) / (canvas.clientHeight || 1);
    const w = Math.max(v.w, v.h * ratio), h = w / ratio;
    return { x: v.x - (w - v.w) / 2, y: v.y - (h - v.h) / 2, w, h };
  };
  const jump = (to) => { cancelAnimationFrame(flight); view = normalize(to); show(); };
  const glide = (to) => {
    cancelAnimationFrame(flight);
    if (calm.matches) return jump(to);
    const from = { ...view }, goal = normalize(to), begin = performance.now();
    const step = (now) => {
      const t = Math.min(1, (now - begin) / 220), k = t * (2 - t);
      for (const key of ["x", "y", "w", "h"]) view[key] = from[key] + (goal[key] - from[key]) * k;
      show();
      if (t < 1) flight = requestAnimationFrame(step);
    };
    flight = requestAnimationFrame(step);
  };
  const everything = () => {
    // A small picture is not blown up beyond its natural size by more than a third.
    const least = 0.75;
    const w = Math.max(width, canvas.clientWidth * least);
    const h = Math.max(height, canvas.clientHeight * least);
    return { x: (width - w) / 2, y: (height - h) / 2, w, h };
  };
  const opening = () => {
    // A long picture begins at its top, large enough to be read.
    const whole = normalize(everything());
    const most = canvas.clientWidth / 0.8;
    if (whole.w <= most) return whole;
    const w = most, h = w * canvas.clientHeight / canvas.clientWidth;
    const first = nodes.length ? nodes[0].getBBox() : { x: width / 2, width: 0 };
    return { x: first.x + first.width / 2 - w / 2, y: -10, w, h };
  };
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return {
      x: view.x + (event.clientX - box.left) / box.width * view.w,
      y: view.y + (event.clientY - box.top) / box.height * view.h,
    };
  };
  const zoom = (factor, centre) => {
    cancelAnimationFrame(flight);
    const c = centre || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
    const w = Math.min(Math.max(view.w * factor, 80), Math.max(width, height) * 8 + 4000);
    const k = w / view.w;
    view = { x: c.x - (c.x - view.x) * k, y: c.y - (c.y - view.y) * k, w, h: view.h * k };
    show();
  };
  const pan = (dx, dy) => {
    cancelAnimationFrame(flight);
    view.x += dx / scale();
    view.y += dy / scale();
    show();
  };
  const reveal = (number) => {
    const b = nodes[number].getBBox();
    const inside = b.x > view.x && b.y > view.y && b.x + b.width < view.x + view.w &&
      b.y + b.height < view.y + view.h;
    if (!inside) glide({ x: b.x + b.width / 2 - view.w / 2, y: b.y + b.height / 2 - view.h / 2,
      w: view.w, h: view.h });
  };

  // --- mouse, wheel, touch ----------------------------------------------------------------------
  const fingers = new Map();
  let moved = false;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey) return pan(event.deltaY || event.deltaX, 0);
    const unit = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 200 : 1;
    const amount = Math.max(-240, Math.min(240, event.deltaY * unit));
    zoom(Math.exp(amount * (event.ctrlKey ? 0.008 : 0.0016)), at(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button > 1) return;
    if (!fingers.size) moved = false;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before.x, dy = event.clientY - before.y;
    if (!moved && fingers.size === 1 && Math.hypot(dx, dy) < 4) return;
    if (!moved) { moved = true; canvas.setPointerCapture(event.pointerId); }
    canvas.classList.add("moving");
    if (fingers.size === 1) pan(-dx, -dy);
    else {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const old = Math.hypot(before.x - other.x, before.y - other.y) || 1;
      const now = Math.hypot(event.clientX - other.x, event.clientY - other.y) || 1;
      const middle = at({ clientX: (event.clientX + other.x) / 2,
        clientY: (event.clientY + other.y) / 2 });
      zoom(old / now, middle);
      pan(-dx / 2, -dy / 2);
    }
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    if (!fingers.size) canvas.classList.remove("moving");
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("click", (event) => {
    if (moved) return;
    const node = event.target.closest("[data-node]");
    choose(node ? Number(node.dataset.node) : -1);
  });

  // --- keyboard ---------------------------------------------------------------------------------
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const neighbour = (number, [dx, dy]) => {
    // The nearest node in that direction; sideways distance counts more.
    const centre = (n) => { const b = nodes[n].getBBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
    const [x, y] = centre(number);
    let best = -1, least = Infinity;
    nodes.forEach((_, n) => {
      const [u, v] = centre(n), along = (u - x) * dx + (v - y) * dy;
      const across = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (n !== number && along > 8 && along + 2.2 * across < least) {
        least = along + 2.2 * across;
        best = n;
      }
    });
    return best;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === find) return;
    const on = event.target.closest && event.target.closest("[data-node]");
    if (event.key === "/") { find.focus(); find.select(); }
    else if (event.key === "Escape") { choose(-1); canvas.focus(); }
    else if (event.key === "+" || event.key === "=") zoom(0.8);
    else if (event.key === "-") zoom(1.25);
    else if (event.key === "0") glide(everything());
    else if (on && (event.key === "Enter" || event.key === " ")) choose(Number(on.dataset.node));
    else if (on && arrows[event.key]) {
      const next = neighbour(Number(on.dataset.node), arrows[event.key]);
      if (next >= 0) nodes[next].focus({ preventScroll: true });
    } else if (event.target === canvas && arrows[event.key])
      pan(arrows[event.key][0] * 60, arrows[event.key][1] * 60);
    else return;
    event.preventDefault();
  });
  nodes.forEach((node, number) => node.addEventListener("focus", () => {
    if (node.matches(":focus-visible")) reveal(number);
  }));
  byId("in").addEventListener("click", () => zoom(0.8));
  byId("out").addEventListener("click", () => zoom(1.25));
  byId("fit").addEventListener("click", () => glide(everything()));

  // --- search -----------------------------------------------------------------------------------
  const words = data.nodes.map((n) => [n.id, n.title, n.kind, n.group || "",
    ...n.facts.map((f) => f[1])].join("\n").toLowerCase());
  const search = () => {
    const text = find.value.trim().toLowerCase();
    hits = text ? words.flatMap((w, n) => (w.includes(text) ? [n] : [])) : [];
    hit = -1;
    svg.classList.toggle("searching", Boolean(text));
    nodes.forEach((node, n) => node.classList.toggle("hit", hits.includes(n)));
    found.textContent = text ? String(hits.length) : "";
  };
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { find.value = ""; search(); canvas.focus(); }
    else if (event.key === "Enter" && hits.length) {
      hit = (hit + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
      if (hit < 0) hit = 0;
      found.textContent = `${hit + 1} of ${hits.length}`;
      choose(hits[hit]);
    } else return;
    event.preventDefault();
  });

  // --- the panel --------------------------------------------------------------------------------
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const ways = (list) => {
    const ul = make("ul", "ways");
    for (const [number, note] of list) {
      const button = make("button");
      button.type = "button";
      if (note) button.append(make("small", "", note));
      button.append(data.nodes[number].title);
      button.addEventListener("click", () => { choose(number); nodes[number].focus({ preventScroll: true }); });
      ul.append(make("li"));
      ul.lastChild.append(button);
    }
    return ul;
  };
  const source = (place) => {
    const figure = make("figure");
    figure.append(make("figcaption", "", `${place.file}:${place.first}`));
    const pre = make("pre", "source"), code = make("code");
    pre.tabIndex = 0;
    pre.setAttribute("aria-label", `${place.file}, from line ${place.start}`);
    const indents = place.lines.filter((l) => l.trim()).map((l) => l.match(/^ */)[0].length);
    const indent = Math.min(...indents, 40);
    place.lines.forEach((full, offset) => {
      const line = place.start + offset, text = full.slice(indent);
      const row = make("span", line >= place.first && line <= place.last ? "row own" : "row");
      row.append(make("i", "", String(line)));
      if (place.columns && line === place.first) {
        const characters = [...text], [a, b] = place.columns.map((c) => c - indent);
        row.append(characters.slice(0, a).join(""));
        row.append(make("mark", "", characters.slice(a, b).join("")));
        row.append(characters.slice(b).join(""));
      } else row.append(text || " ");
      code.append(row);
    });
    pre.append(code);
    figure.append(pre);
    return figure;
  };
  const section = (title, ...content) => {
    panel.append(make("h3", "", title), ...content);
  };
  const overview = () => {
    panel.append(make("h2", "", document.querySelector("h1").textContent));
    if (data.description) panel.append(make("p", "", data.description.slice(0, 700)));
    panel.append(make("p", "quiet", `${data.nodes.length} nodes, ${data.lines.length} edges`));
    if (data.params.length) {
      const list = make("dl");
      for (const p of data.params) {
        list.append(make("dt", "", `${p.type}${p.required ? ", required" : ""}`));
        list.append(make("dd", "code", p.name));
      }
      section("Parameters", list);
    }
    if (data.path) section("Path of the run", ways(data.path.slice(0, 2000).map((n, i) =>
      [n, `${i + 1}`])));
    const legend = make("div", "legend");
    for (const look of new Set(data.nodes.map((n) => n.look)))
      legend.append(make("span", `kind ${look}`, look));
    section("Kinds", legend);
    section("Keys", make("p", "quiet", "Drag or arrow keys move the picture; wheel, pinch, + and − " +
      "zoom; 0 shows everything; / searches; Tab and arrows go from node to node."));
  };
  const details = (number) => {
    const node = data.nodes[number];
    panel.append(make("h2", "", node.title));
    if (node.title !== node.id) panel.append(make("p", "id", node.id));
    panel.append(make("span", `kind ${node.look}`, node.look));
    const list = make("dl");
    const rows = [...node.facts];
    if (node.group) rows.unshift(["part of", node.group, "words"]);
    if (data.path) {
      const seconds = data.seconds[node.id];
      const time = seconds === undefined ? "" : `, ${seconds.toFixed(2)} s`;
      rows.unshift(["in this run", node.visits ? `${node.visits}×${time}` : "not reached", "words"]);
    }
    for (const [label, text, form] of rows)
      list.append(make("dt", "", label), make("dd", form, text));
    panel.append(list);
    if (node.places.length) section("In the file", ...node.places.map(source));
    const out = data.lines.filter((l) => l[0] === number).map((l) => [l[1], l[2]]);
    const into = data.lines.filter((l) => l[1] === number).map((l) => [l[0], l[2]]);
    if (out.length) section("Goes on to", ways(out));
    if (into.length) section("Comes from", ways(into));
  };
  const choose = (number) => {
    chosen = number;
    nodes.forEach((node, n) => {
      node.classList.toggle("chosen", n === chosen);
      node.setAttribute("aria-pressed", String(n === chosen));
    });
    lines.forEach((line) => {
      const ends = line.dataset.ends.split(" ").map(Number);
      line.classList.toggle("near", ends.includes(chosen));
    });
    panel.replaceChildren();
    panel.scrollTop = 0;
    if (chosen < 0) overview();
    else { details(chosen); reveal(chosen); }
    const id = chosen < 0 ? "" : `#${encodeURIComponent(data.nodes[chosen].id)}`;
    try { history.replaceState(null, "", id || location.pathname + location.search); } catch { /* a page without an address */ }
  };

  addEventListener("resize", () => jump(view));
  jump(opening());
  let wanted = "";
  try { wanted = decodeURIComponent(location.hash.slice(1)); } catch { /* no name */ }
  choose(wanted ? data.nodes.findIndex((n) => n.id === wanted) : -1);
})();
