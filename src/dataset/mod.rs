//! The datasets: what is declared once for each of them, and what is generic over them.
