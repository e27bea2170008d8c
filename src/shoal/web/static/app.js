// The app works without this script. With it, progress is told as it comes, a large table scrolls, and files can be dropped.
"use strict";

const ROW = 28; // pixels of a row in a window, as app.css has it
const TALLEST = 8_000_000; // pixels; browsers end elements at some tens of millions

/** Fetch a part of a page. */
async function part(url, options = {}) {
  const headers = { "x-shoal-part": "1", ...(options.headers || {}) };
  const answer = await fetch(url, { ...options, headers });
  return { ok: answer.ok, url: answer.url, text: await answer.text() };
}

/** Return the first element of a text of HTML. */
function element(text) {
  const made = document.createElement("template");
  made.innerHTML = text.trim();
  return made.content.firstElementChild;
}

/** Show how far a task is, until it ends. */
function listen(box) {
  const source = new EventSource(box.dataset.events);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.state !== "running") {
      source.close();
      location.replace(told.state === "done" ? told.then : location.href);
      return;
    }
    const bar = box.querySelector("progress");
    if (told.share === null) bar.removeAttribute("value"); else bar.value = told.share;
    box.querySelector("[data-tell=step]").textContent = told.step;
    box.querySelector("[data-tell=seconds]").textContent = Math.round(told.seconds);
    const left = box.querySelector("[data-tell=left]");
    left.textContent = told.left === null ? "" : `, ${Math.round(told.left)} s ${left.dataset.words}`;
  };
  document.addEventListener("submit", () => source.close()); // such as Cancel, which leads to a page of its own
  source.onerror = () => { source.close(); setTimeout(() => location.reload(), 1000); };
}

/** Let a table of any length scroll: only the rows that are seen are there. */
function scrollRows(box) {
  const table = box.querySelector("table");
  const total = Number(box.dataset.total), shown = Number(box.dataset.shown);
  const space = document.createElement("div");
  const height = Math.min((total + 2) * ROW, TALLEST);
  space.style.height = `${height}px`;
  box.append(space);
  let wanted = -1, busy = false;

  const firstAt = (top) => {
    const most = Math.max(total - Math.floor(box.clientHeight / ROW) + 2, 0);
    return Math.min(Math.round((top / Math.max(height - box.clientHeight, 1)) * most), Math.max(total - 1, 0));
  };
  async function fill() {
    if (busy) return;
    busy = true;
    while (wanted >= 0) {
      const first = wanted;
      wanted = -1;
      const body = element(`<table>${(await part(`${box.dataset.rows}?first=${first}`)).text}</table>`).tBodies[0];
      table.tBodies[0].replaceWith(body);
      table.style.top = `${box.scrollTop}px`;
    }
    busy = false;
  }
  box.addEventListener("scroll", () => { wanted = firstAt(box.scrollTop); fill(); });
  box.scrollTop = (Number(table.tBodies[0].dataset.first) / Math.max(total - shown, 1)) * (height - box.clientHeight);
}

/** Take a file that is dropped on a form. */
function takeDrops(form) {
  const field = form.querySelector("input[type=file]");
  const over = (event) => { event.preventDefault(); form.classList.add("over"); };
  form.addEventListener("dragover", over);
  form.addEventListener("dragenter", over);
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length === 1) {
      field.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
}

/** Send a form by a fetch, and put what comes in the place of a part of the page: data-swap names it. */
function swaps(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = new FormData(form, event.submitter);
    const read = form.method === "get";
    const url = read ? `${form.action}?${new URLSearchParams(fields)}` : form.action;
    const answer = await part(url, read ? {} : { method: "POST", body: new URLSearchParams(fields) });
    const target = document.querySelector(form.dataset.swap);
    const made = element(answer.text);
    const held = document.activeElement && document.activeElement.id;
    target.replaceWith(made);
    attach(made);
    const again = held && document.getElementById(held);
    if (again) again.focus();
  });
}

/** Let values be dragged: onto a group to move them, onto a value to put the two together under a name. */
function dragNodes(form) {
  let dragged = null;
  const tick = (node) => { node.querySelector("input").checked = true; };
  form.querySelectorAll(".node").forEach((node) => {
    node.draggable = true;
    node.addEventListener("dragstart", (event) => { dragged = node; event.dataTransfer.setData("text/plain", node.dataset.node); });
    node.addEventListener("dragover", (event) => {
      if (dragged && dragged !== node) { event.preventDefault(); node.classList.add("over"); }
    });
    node.addEventListener("dragleave", () => node.classList.remove("over"));
    node.addEventListener("drop", (event) => {
      event.preventDefault();
      node.classList.remove("over");
      if (!dragged || dragged === node) return;
      tick(dragged);
      if ("group" in node.dataset) {
        form.elements.onto.value = node.dataset.node;
        const move = Object.assign(document.createElement("button"), { name: "do", value: "move", hidden: true });
        form.append(move);
        form.requestSubmit(move);
      } else {
        tick(node);
        form.elements.name.focus();
      }
    });
  });
  form.elements.name.addEventListener("keydown", (event) => {
    if (event.key === "Escape") form.querySelectorAll("input[type=checkbox]").forEach((box) => { box.checked = false; });
  });
}

/** Set a cut point of numbers where a histogram is clicked, or take the one away that is there. */
function cutNumbers(picture) {
  const field = document.getElementById(picture.dataset.cuts);
  const low = Number(picture.dataset.low), high = Number(picture.dataset.high);
  const step = 10 ** Math.floor(Math.log10((high - low) / 50));
  const draw = (cuts) => {
    picture.querySelectorAll("line").forEach((line) => line.remove());
    cuts.filter((cut) => cut >= low && cut <= high).forEach((cut) => {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const x = (480 * (cut - low)) / (high - low);
      Object.entries({ x1: x, x2: x, y1: 0, y2: 100 }).forEach(([key, value]) => line.setAttribute(key, value));
      picture.append(line);
    });
  };
  const cutsOf = (line) => line.split(/[\s,;]+/).filter(Boolean).map(Number).filter(Number.isFinite);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const exact = low + ((event.clientX - box.left) / box.width) * (high - low);
    const cut = Number((Math.round(exact / step) * step).toPrecision(12));
    const lines = field.value.split("\n");
    const cuts = cutsOf(lines[0]);
    const near = cuts.find((one) => Math.abs(one - cut) < (high - low) / 60);
    const wanted = near === undefined ? [...cuts, cut].sort((a, b) => a - b) : cuts.filter((one) => one !== near);
    const kept = lines.slice(1).map((line) => cutsOf(line).filter((one) => wanted.includes(one)).join(" ")).filter(Boolean);
    field.value = [wanted.join(" "), ...kept].join("\n");
    document.getElementById("type").value = "intervals";
    draw(wanted);
  });
  field.addEventListener("input", () => draw(cutsOf(field.value.split("\n")[0])));
}

/** Ask the library what it says of a form while it is filled in, and show that beside the fields. */
function checks(form) {
  let waiting = 0, asked = 0;
  async function ask() {
    const mine = ++asked;
    const answer = await part(form.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok || mine !== asked) return;
    const said = new Map([...element(answer.text).children].map((one) => [one.dataset.for, one.textContent]));
    form.querySelectorAll(".message").forEach((box) => {
      box.textContent = said.get(box.id) || "";
      const field = document.getElementById(box.id.slice(2));
      if (field) field.setAttribute("aria-invalid", said.has(box.id));
    });
  }
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(ask, 250); });
}

/** Give all elements below one their behaviour. */
function attach(root) {
  const each = (selector, give) => {
    if (root.matches && root.matches(selector)) give(root);
    root.querySelectorAll(selector).forEach(give);
  };
  each("[data-events]", listen);
  each("[data-rows]", scrollRows);
  each("form[data-drop]", takeDrops);
  each("form[data-swap]", swaps);
  each("form[data-tree]", dragNodes);
  each("svg[data-cuts]", cutNumbers);
  each("form[data-check]", checks);
}

attach(document);
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
