// A page that asks again by itself.

const holder = document.querySelector("[data-again]");
setTimeout(() => location.reload(), Number(holder.dataset.again) * 1_000);
