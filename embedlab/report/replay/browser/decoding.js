// What the file holds, and the page's own parts.

const content = JSON.parse(document.getElementById("content").textContent);
const element = (id) => document.getElementById(id);
const categories = wholeNumbers(content.categories, 2).map((category) => Math.min(category, content.classes.length)); // the last: no class
const rows = wholeNumbers(content.rows, 4);
