"""TODO chapters"""
