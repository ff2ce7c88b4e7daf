// Copying the completion code.

const button = document.getElementById("copy-code");
const code = document.getElementById("completion-code");
const said = document.getElementById("copy-status");

if (navigator.clipboard && button && code && said) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    said.textContent = button.dataset.copied ?? "";
  });
}
