from django.db import migrations

CREATE = """
CREATE FUNCTION rankme_end_keys_of_changed_password() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM authtoken_token WHERE user_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER keys_end_with_their_password AFTER UPDATE OF password ON auth_user
    FOR EACH ROW WHEN (OLD.password IS DISTINCT FROM NEW.password)
    EXECUTE FUNCTION rankme_end_keys_of_changed_password();
"""
DROP = """
DROP TRIGGER keys_end_with_their_password ON auth_user;
DROP FUNCTION rankme_end_keys_of_changed_password();
"""


class Migration(migrations.Migration):

    dependencies = [
        ("rankme", "0009_refusals_are_only_counted"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("authtoken", "0004_alter_tokenproxy_options"),
    ]

    operations = [migrations.RunSQL(CREATE, DROP)]
