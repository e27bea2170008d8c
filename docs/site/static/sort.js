// Sorts a table by the column whose head is pressed; numbers by their size, all else as text.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.firstElementChild?.tagName === "P" ? head.firstElementChild.childNodes : head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const text = (row) => row.cells[column].textContent.trim();
        const rows = [...body.rows].sort((one, two) => text(one).localeCompare(text(two), "en", { numeric: true }));
        body.append(...(down ? rows.reverse() : rows));
      });
    });
  }
});
