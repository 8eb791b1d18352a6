"""TODO exercise"""
