"""Work: what the process of a task can do, one file each; `work` calls an action and returns what a page shows."""
