# %% [markdown]
# # Compare answers of chat assistants
# Two answers on each screen: which one is better? One call makes the whole campaign.

# %%
import pandas as pd
import rankme_client

outputs = pd.DataFrame(
    {
        "input": [
            "How long does an egg boil?",
            "What is 12 times 12?",
            "Name a planet.",
            "Why rain?",
        ],
        "ours": ["Six minutes for a soft one.", "144.", "Saturn.", "Warm air rises and cools."],
        "baseline": ["It depends.", "124.", "The moon.", "Because of the weather."],
        "tiny": ["Egg.", "12.", "Pluto, maybe.", "Rain is wet."],
    }
)
handle = rankme_client.compare(
    outputs,
    systems=["ours", "baseline", "tiny"],
    question="Which answer helps more?",
    raters=3,
    screens_per_item=3,
    title="Notebook: arena",
)
print("Send this to your raters:", handle.links()["open_link"])

# %% [markdown]
# The kernel may be stopped here: the same call above finds the campaign again.

# %%
handle.wait(every=2, told=print)
handle.judgements().head()

# %%
report = handle.analyse(runs=50, agreement_resamples=50)
print(report.table())
print(sorted(report.tables))
