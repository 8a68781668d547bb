"""What moved from the left map to the right one."""
