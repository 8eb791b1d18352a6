"""TODO plugins"""
