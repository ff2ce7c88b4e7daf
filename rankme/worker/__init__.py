"""The worker: Celery's tasks, and the watch that ends a deaf worker."""
