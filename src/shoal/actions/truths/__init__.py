"""Who is who, as far as columns that name persons tell."""
