"""What runs in a worker: Celery's tasks, and the watch that ends a worker without messages."""
