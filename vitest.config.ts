import { defineConfig } from 'vitest/config'

// Three projects: `unit` needs nothing, `int` starts PostgreSQL (and Redis when there is one), `live` talks
// to the public network and is off unless asked for with `--project live`.
// Unit tests share the modules of their worker, because importing them again for every file took a quarter of
// the time: what one changes in a module or in `process.env` it must change back.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: ['{packages,apps}/*/{src,test}/**/*.test.ts'],
          exclude: ['**/*.{int,live}.test.ts', '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'int',
          include: ['{packages,apps}/*/{src,test}/**/*.int.test.ts'],
          globalSetup: ['packages/testkit/src/global-setup.ts'],
          testTimeout: 300_000,
        },
      },
      ...(process.env['LIVE']
        ? [
            {
              extends: true as const,
              test: { name: 'live', include: ['{packages,apps}/*/{src,test}/**/*.live.test.ts'] },
            },
          ]
        : []),
    ],
  },
})
