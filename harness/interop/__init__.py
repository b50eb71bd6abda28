"""Other people's formats: in without dropping anything in silence, out so that their tools show no zeros."""
