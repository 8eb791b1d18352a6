"""TODO confined"""
