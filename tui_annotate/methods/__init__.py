"""Pure algorithms: segmentation, matching, agreement, statistics; without storage or screen."""
