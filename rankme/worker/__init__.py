"""What runs in a worker process: Celery's tasks, and the search for jobs that nobody announced."""
