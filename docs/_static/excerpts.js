/* Below each result of the search: where the page speaks of the words, from PAGE_TEXTS. Nothing is fetched. */
"use strict";

(() => {
  const BEFORE = 90, LENGTH = 240;
  const query = new URLSearchParams(location.search).get("q") || "";
  const words = query.toLowerCase().split(/[^\p{Letter}\p{Number}_]+/gu).filter(Boolean);

  const place = (text) => {
    for (const word of words) {
      // An inflected word is found by its beginning.
      for (const part of [word, word.slice(0, -1), word.slice(0, -3)]) {
        const at = part.length > 2 || part === word ? text.indexOf(part) : -1;
        if (at >= 0) return at;
      }
    }
    return 0;
  };

  const excerpt = (item) => {
    const link = item.querySelector("a"), name = link && link.getAttribute("href").replace(/\.html(#.*)?$/, "");
    const text = PAGE_TEXTS[name];
    if (!text || item.querySelector("p, span")) return;
    const start = text.lastIndexOf(" ", Math.max(place(text.toLowerCase()) - BEFORE, 0)) + 1;
    const shown = document.createElement("p");
    shown.className = "context";
    shown.textContent = (start ? "… " : "") + text.slice(start, start + LENGTH).trim()
      + (start + LENGTH < text.length ? " …" : "");
    item.append(shown);
    if (typeof _highlightText === "function") words.forEach((word) => _highlightText(shown, word, "highlighted"));
  };

  const results = document.getElementById("search-results");
  const show = () => results.querySelectorAll("ul.search > li").forEach(excerpt);
  new MutationObserver(show).observe(results, { childList: true, subtree: true });
  show();
})();
