"""TODO common"""
