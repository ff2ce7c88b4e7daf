"""The questions of the Human Evaluation Datasheet, HEDS 3.0, by number, in words of our own.

Keys and numbers are those of the form's files (Belz & Thomson 2024, arXiv:2412.07940), its
misspelling included. The form has no licence, so none of its wording is here.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER, SYSTEM = "paper_and_resources-", "system-"
DESIGN = "sample_evaluators_design-"
SAMPLE, RATERS, SETTING = (
    f"{DESIGN}sample-",
    f"{DESIGN}evaluators-",
    f"{DESIGN}experimental_design-",
)
CRITERION = "criteria-criterion-"
ELICITATION = f"{CRITERION}response_elicitation-"
PEOPLE = f"{PAPER}names_and_affiliations-"

YES_NO_NA = ("yes", "no", "does not apply +")
TYPES = (
    "structured data", "deep linguistic representation", "shallow linguistic representation",
    "part of a sentence", "sentence", "several sentences", "document", "dialogue", "other text +",
    "speech", "visual", "multi-modal",
)  # fmt: skip
TASKS = (
    "content selection", "content ordering", "aggregation", "referring expressions",
    "lexicalisation", "deep generation", "surface realisation", "feature-controlled generation",
    "data to text", "dialogue turn", "question generation", "question answering", "paraphrasing",
    "compression", "machine translation", "summarisation", "end-to-end generation",
    "description of pictures or films", "post-editing", "other +",
)  # fmt: skip
FORMS = (
    "agreement with a statement", "direct estimate", "relative estimate or ranking",
    "counts in the text", "comments", "post-editing or annotation", "classification",
    "user–text interaction", "task performance", "user–system interaction", "other +",
)  # fmt: skip
PLACES = (
    "a place of their own choosing", "a lab, controlled", "a lab, not controlled",
    "real life, controlled", "real life, not controlled", "like real life, controlled",
    "like real life, not controlled", "other +",
)  # fmt: skip
# ISO 639-1, in the order of the form, whose first option is "does not apply".
CODES = (
    "ab aa af ak sq am ar an hy as av ae ay az bm ba eu be bn bi bs br bg my ca ch ce ny zh cu cv "
    "kw co cr hr cs da dv nl dz en eo et ee fo fj fi fr fy ff gd gl lg ka de el kl gn gu ht ha he "
    "hz hi ho hu is io ig id ia ie iu ik ga it ja jv kn kr ks kk km ki rw ky kv kg ko kj ku lo la "
    "lv li ln lt lu lb mk mg ms ml mt gv mi mr mh mn na nv nd nr ng ne no nb nn ii oc oj or om os "
    "pi ps fa pl pt pa qu ro rm rn ru se sm sg sa sc sr sn sd si sk sl so st es su sw ss sv tl ty "
    "tg ta tt te th bo ti to ts tn tr tk tw ug uk ur uz ve vi vo wa cy wo xh yi yo za zu"
)
LANGUAGES = CODES.split(" ")
OTHER_LANGUAGE = len(LANGUAGES) + 2

RECORD, DRAFT, PERSON = "record", "draft", "person"


@dataclass(frozen=True)
class Question:
    """One of the form's questions.

    `by` is who answers: the record, a person who confirms a draft, or a person alone. An option
    that ends in + needs words. `takes` is `text`, `one` or `many` options, or `languages`.
    """

    number: str
    key: str
    label: str
    by: str
    options: tuple[str, ...] = ()
    takes: str = "text"

    @property
    def is_long(self) -> bool:
        """Whether its answer is a sentence or more."""
        return self.number.startswith("5.") or not self.key

    @property
    def is_of_a_criterion(self) -> bool:
        return self.number.startswith("4.")


def _people(number: str, key: str, who: str) -> tuple[Question, ...]:
    return tuple(
        Question(f"{number}.{place}", f"{PEOPLE}{key}-{part}", f"{who}: {words}", DRAFT)
        for place, (part, words) in enumerate(
            {"name": "name", "affiliation": "affiliation", "email": "e-mail address"}.items(), 1
        )
    )


Q = Question
QUESTIONS: tuple[Question, ...] = (
    Q("1.1.1", f"{PAPER}paper-link", "Main reference", PERSON,
      ("the paper +", "an unpublished report +", "a preregistration +", "none"), "one"),
    Q("1.1.2", f"{PAPER}paper-experiment_identification", "Which experiment", DRAFT),
    Q("1.2", f"{PAPER}resources-links", "Resources", RECORD, ("shared at +", "none"), "one"),
    *_people("1.3.1", "person_completing_this_sheet", "Who fills this in"),
    *_people("1.3.2", "contact_author", "Contact author"),
    Q("2.1", f"{SYSTEM}input_types", "Input of the systems", DRAFT,
      (*TYPES, "control feature", "no input +", "other +"), "many"),
    Q("2.2", f"{SYSTEM}output_types", "Output of the systems", DRAFT,
      (*TYPES, "no output +", "other +"), "many"),
    Q("2.3", f"{SYSTEM}tasks", "Task of the systems", DRAFT, TASKS, "many"),
    Q("2.4", f"{SYSTEM}input_languages", "Languages of the inputs", DRAFT, (), "languages"),
    Q("2.5", f"{SYSTEM}output_languages", "Languages of the outputs", DRAFT, (), "languages"),
    Q("3.1.1", f"{SAMPLE}number_of_system_outputs", "Outputs evaluated per system", RECORD),
    Q("3.1.2", f"{SAMPLE}system_output_selection", "How outputs were selected", DRAFT,
      ("at random", "at random within strata", "automatic, not at random", "by hand",
       "by hand, for balance or variety", "other +"), "one"),
    Q("3.1.3.1", f"{SAMPLE}statistical_power-method", "Power: method", RECORD),
    Q("3.1.3.2", f"{SAMPLE}statistical_power-value", "Power: value", RECORD),
    Q("3.1.3.3", f"{SAMPLE}statistical_power-script", "Power: code", RECORD),
    Q("3.2.1", f"{RATERS}number_of_evaluators", "Number of raters", RECORD),
    Q("3.2.2.1", f"{RATERS}evaluators-expertise", "Raters are experts", PERSON, YES_NO_NA, "one"),
    Q("3.2.2.2", f"{RATERS}evaluators-payment", "Raters were paid", RECORD,
      ("money", "not in money", "no", "does not apply +"), "one"),
    Q("3.2.2.3", f"{RATERS}evaluators-known_to_authors", "Authors know raters", PERSON,
      YES_NO_NA, "one"),
    Q("3.2.2.4", f"{RATERS}evaluators-are_authors", "Authors are among the raters", PERSON,
      YES_NO_NA, "one"),
    Q("3.2.3", f"{RATERS}recruitment_method", "Recruitment", RECORD),
    Q("3.2.4", f"{RATERS}training_practice", "Training and practice", RECORD),
    Q("3.2.5", f"{RATERS}characteristics", "Other characteristics of raters", RECORD),
    Q("3.3.1", f"{SETTING}preregistered", "Preregistered", DRAFT, ("yes, at +", "no"), "one"),
    Q("3.3.2", f"{SETTING}collection_method", "Medium", RECORD),
    Q("3.3.3.1", f"{SETTING}quality_assurance-method", "Quality assurance: types", RECORD,
      ("native speakers", "automatic checks", "manual checks", "failing raters excluded",
       "failing answers excluded", "other +", "none +"), "many"),
    Q("3.3.3.2", f"{SETTING}quality_assurance-description", "Quality assurance: methods", RECORD),
    Q("3.3.4.1", f"{SETTING}what_evaluators_see-link", "Address of the interface", RECORD),
    Q("3.3.4.2", f"{SETTING}what_evaluators_see-description", "What raters see", RECORD),
    Q("3.3.5", f"{SETTING}evaluator_freedom", "Limits of time", RECORD,
      ("at a set time", "for each answer", "for the whole", "one sitting", "none of these +"),
      "many"),
    Q("3.3.6", f"{SETTING}evaluators_can_ask_questions", "Questions and feedback", DRAFT,
      ("can ask", "are told that they can ask", "give feedback afterwards", "other +", "none +"),
      "many"),
    Q("3.3.7", f"{SETTING}experimental_conditions", "Place of the work", RECORD, PLACES, "one"),
    Q("3.3.8", f"{SETTING}evaluators_place_of_choosing", "How conditions vary", RECORD),
    Q("4.1.1", f"{CRITERION}criteria-quality_type", "Type of quality", DRAFT,
      ("correctness", "goodness", "feature"), "one"),
    Q("4.1.2", f"{CRITERION}criteria-output_aspect", "Aspect of the output", DRAFT,
      ("form", "content", "both"), "one"),
    Q("4.1.3", f"{CRITERION}criteria-self_vs_external_frame", "Frame of reference", DRAFT,
      ("none", "the input", "something external"), "one"),
    Q("4.2.1", f"{CRITERION}evaluation_mode-objective_or_subjective", "Kind of judgement", DRAFT,
      ("objective", "subjective"), "one"),
    Q("4.2.2", f"{CRITERION}evaluation_mode-absolute_or_relative", "Absolute or relative", RECORD,
      ("absolute", "relative"), "one"),
    Q("4.2.3", f"{CRITERION}evaluation_mode-intrinsic_or_extrinsic", "Of the text or its use",
      DRAFT, ("intrinsic", "extrinsic"), "one"),
    Q("4.3.1.1", f"{ELICITATION}qc_name-participant_criterion_name", "Name raters read", RECORD),
    Q("4.3.1.2", f"{ELICITATION}qc_name-mapped_criterion_name", "Standard name (QCET)", DRAFT),
    Q("4.3.2", f"{ELICITATION}participant_criterion_definiiton", "Definition raters read", RECORD),
    Q("4.3.3", f"{ELICITATION}size_of_scale", "Size of the scale", RECORD),
    Q("4.3.4", f"{ELICITATION}list_or_range", "Values of the scale", RECORD),
    Q("4.3.5", f"{ELICITATION}scale_presented_as", "Look of the scale", RECORD,
      ("options", "boxes to tick", "slider", "no scale", "other +"), "one"),
    Q("4.3.6", f"{ELICITATION}task_description", "Task without a scale", RECORD),
    Q("4.3.7", f"{ELICITATION}verbatim_question", "Question, word for word", RECORD),
    Q("4.3.8", f"{ELICITATION}form_of_response", "Form of the answers", RECORD, FORMS, "one"),
    Q("4.3.9", f"{ELICITATION}response_aggregation", "From answers to scores", RECORD),
    Q("4.3.10", f"{ELICITATION}effect_size_method", "Effect sizes and tests", RECORD),
    Q("4.3.11.1", f"{ELICITATION}inter_annotator-agreement", "Agreement of raters: method", RECORD),
    Q("4.3.11.2", f"{ELICITATION}inter_annotator-agreement_score", "Agreement of raters: value",
      RECORD),
    Q("4.3.12.1", f"{ELICITATION}intra_annotator-intra_annotator_agreement",
      "Agreement with oneself: method", RECORD),
    Q("4.3.12.2", f"{ELICITATION}intra_annotator-intra_annotator_agreement_score",
      "Agreement with oneself: value", RECORD),
    Q("5.1", "ethics-review_body", "Ethics committee", PERSON),
    Q("5.2", "ethics-personal_data", "Personal data", DRAFT, ("none", "yes +"), "one"),
    Q("5.3", "ethics-special_category_data", "Special categories of data", PERSON,
      ("none", "yes +"), "one"),
    Q("5.4", "ethics-impact_assessments", "Impact assessments", PERSON),
)  # fmt: skip
