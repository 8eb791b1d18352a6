"""TODO platforms"""
