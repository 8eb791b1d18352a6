// Elements of a page and of a drawing, for every script of the book.
"use strict";

const courseElements = (() => {
  /** Set what is not so yet: `on…` is a listener, everything else an attribute. */
  function set(node, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") node.addEventListener(name.slice(2), value);
      else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
    }
    return node;
  }

  function create(node, attributes, children) {
    set(node, attributes).append(...children);
    return node;
  }

  const html = (tag, attributes = {}, ...children) =>
    create(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    create(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  return { set, html, svg };
})();
