// What ended while nobody looked: a mark in the tab's title until somebody does, and a notification where it was allowed.

const ASKED = "embedlab-asked-to-notify";
const told = (window.embedlabAlerts ??= { ids: new Set(), unseen: 0, mark: "" }); // once a page load
const isLooked = () => !document.hidden && document.hasFocus();

/** The title with its mark; Streamlit writes it anew with every page, so it is put back where it was lost. */
function markTitle() {
  const bare = document.title.startsWith(told.mark) ? document.title.slice(told.mark.length) : document.title;
  told.mark = told.unseen ? `(${told.unseen}) Done · ` : "";
  if (document.title !== told.mark + bare) document.title = told.mark + bare;
}

function seen() {
  if (!told.unseen || !isLooked()) return;
  told.unseen = 0;
  markTitle();
}

function watch() {
  if (told.watching) return;
  told.watching = new MutationObserver(() => told.unseen && !document.title.startsWith(told.mark) && markTitle());
  told.watching.observe(document.querySelector("title") ?? document.head, { childList: true, characterData: true, subtree: true });
  for (const [where, name] of [[document, "visibilitychange"], [window, "focus"]]) where.addEventListener(name, seen);
}

function mayAsk() {
  try {
    return "Notification" in window && Notification.permission === "default" && !localStorage.getItem(ASKED);
  } catch {
    return false; // a browser that keeps nothing would be asked again and again
  }
}

async function ask(button) {
  button.hidden = true;
  try {
    localStorage.setItem(ASKED, "yes");
    await Notification.requestPermission();
  } catch {
    // not in a secure page: the title is marked all the same
  }
}

function notify({ id, title, line }) {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(title, { body: line, tag: `embedlab-${id}` });
    shown.onclick = () => { window.focus(); shown.close(); };
  } catch {
    // a browser that shows them from a service worker only, as on phones
  }
}

export default function ({ data, parentElement }) {
  watch();
  const button = parentElement.querySelector(".ask");
  button.hidden = !(data.working && mayAsk());
  button.onclick = () => ask(button);
  const fresh = data.ended.filter(({ id }) => !told.ids.has(id));
  for (const each of fresh) {
    told.ids.add(each.id);
    parentElement.querySelector(".told").textContent = `${each.title}: ${each.line}`;
    if (isLooked()) continue;
    told.unseen++;
    notify(each);
  }
  if (fresh.length) markTitle();
}
