# %% [markdown]
# # Mark errors in texts
# Raters mark what is wrong and say how bad it is (error span annotation), and give a score.

# %%
import pandas as pd
import rankme_client

site = rankme_client.Site()
outputs = pd.DataFrame(
    {
        "item": ["s1", "s2", "s3"] * 2,
        "input": ["Das Haus ist rot.", "Sie liest ein Buch.", "Es regnet seit gestern."] * 2,
        "system": ["careful"] * 3 + ["hasty"] * 3,
        "output": [
            "The house is red.", "She is reading a book.", "It has been raining since yesterday.",
            "The mouse is red.", "She reads book.", "It rains since the yesterday.",
        ],
    }
)  # fmt: skip

# %%
campaign = site.create(preset="esa", title="Notebook: spans", key="notebook-spans")
if not campaign.uploads():
    campaign.upload(outputs)  # with these names of columns, the site needs no mapping
if campaign.state == "draft":
    campaign.launch()
print("Send this to your raters:", campaign.links()["open_link"])

# %%
campaign.wait(every=2, told=print)
first = campaign.item(1)
for output in first["outputs"]:
    print(output["system"], [mark for answer in output["answers"] for mark in answer["marks"]])

# %%
report = campaign.analyse(agreement_resamples=50)
for name, table in report.tables.items():
    if name.endswith("/answer"):
        print(name, table, sep="\n")
