from tengen.cli import main

raise SystemExit(main())
