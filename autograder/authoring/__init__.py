"""TODO authoring"""
