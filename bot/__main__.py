"""Run ``python -m bot`` as ``paperbot``."""

from bot.cli.main import main

if __name__ == "__main__":
    main()
