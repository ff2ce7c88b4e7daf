# %% [markdown]
# # RankME
# Magnitude estimates of whole screens (Novikova, Dušek & Rieser 2018): raters see the outputs of
# several systems together and give each a number, relative to the others.

# %%
import pandas as pd
import rankme_client

site = rankme_client.Site()
names = ["The Mill", "The Wok", "Bistro", "Osteria"]
patterns = {
    "template": "{} is a restaurant.",
    "neural": "You should try {}, a nice restaurant.",
    "human": "{} is a place where you can eat well.",
    "random": "Restaurant the is {}.",
    "copy": "name: {}",
    "short": "{}: food.",
}
outputs = pd.DataFrame(
    {"item": f"mr{number}", "input": f"name[{name}]", "system": system, "output": text.format(name)}
    for number, name in enumerate(names)
    for system, text in patterns.items()
)

# %%
campaign = site.create(preset="e2e-quality", title="Notebook: RankME", key="notebook-rankme")
if not campaign.uploads():
    campaign.upload(outputs)
if campaign.state == "draft":
    plan = campaign.plan()
    print({name: plan[name] for name in ("design", "batches", "raters", "minutes_per_batch")})
    campaign.launch()
print("Send this to your raters:", campaign.links()["open_link"])

# %%
campaign.wait(every=2, told=print)
campaign.quality()[["rater", "screens", "sentence"]]

# %%
report = campaign.analyse(runs=50, agreement_resamples=50)
print(report.table())
print(report.table("agreement"))
