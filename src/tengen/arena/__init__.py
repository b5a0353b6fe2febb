"""Games between players, and how sure one may be of what they show. Import the parts from where they live.

``session`` joins them: a configuration (``tournament``), a schedule, a pool of workers, a journal, a report.
"""
