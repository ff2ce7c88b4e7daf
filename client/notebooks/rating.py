# %% [markdown]
# # Rate texts on several criteria
# One text on each screen, three questions with five labelled points.

# %%
import pandas as pd
import rankme_client

site = rankme_client.Site()
inputs = [
    "name: The Mill; food: Italian",
    "name: The Wok; food: Thai",
    "name: Bistro; food: French",
]
outputs = pd.DataFrame(
    [
        {"id": f"mr{number}", "mr": text, "model": model, "text": pattern.format(*text.split("; "))}
        for number, text in enumerate(inputs)
        for model, pattern in {
            "fluent": "Here is a place: {0}, and {1}.",
            "terse": "{0} {1}",
        }.items()
    ]
)
outputs.head()

# %% [markdown]
# The preset asks about fluency, adequacy and overall quality. The key makes this cell find the same
# campaign when it is run again.

# %%
campaign = site.create(preset="likert-criteria", title="Notebook: ratings", key="notebook-rating")
if not campaign.uploads():
    roles = {"system": "model", "item": "id", "output": "text", "input": "mr"}
    campaign.upload(outputs, columns={"tables": [{"layout": "long", "columns": roles}]})
if campaign.state == "draft":
    print({name: campaign.plan()[name] for name in ("batches", "judgements", "minutes_per_batch")})
    campaign.launch()
print("Send this to your raters:", campaign.links()["open_link"])

# %%
campaign.wait(every=2, told=print)
judgements = campaign.judgements()
judgements.groupby(["criterion", "system"])["value"].mean()

# %%
report = campaign.analyse(agreement_resamples=50)
print(report.table("answer", criterion="fluency"))
print(report.table("agreement", criterion="fluency"))
print(report.signature)
