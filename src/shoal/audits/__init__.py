"""Audits: the risk, the attacks and the utility of a released table, measured from the table itself."""
