// Copying the completion code.

const button = document.getElementById("copy-code");

if (navigator.clipboard) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById("completion-code").textContent);
    document.getElementById("copy-status").textContent = button.dataset.copied;
  });
}
