import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ServiceName } from '@carapace/api'
import { build, type OnLoadResult, type Plugin } from 'esbuild'

const sourceMapOfNothing = `data:application/json;base64,${Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString('base64')}`

/**
 * Joins each service and what it imports into few files, as they are built at this moment. What several services import is in files that they share;
 * what is imported on demand stays in files of its own. Most of a start was the search for more than a thousand modules (docs/decisions/019).
 * @param folder written again
 * @returns where the program of a service is
 * @throws what does not resolve
 */
export async function joinPrograms(names: readonly ServiceName[], folder: string): Promise<(name: ServiceName) => string> {
  await rm(folder, { recursive: true, force: true })
  await build({
    entryPoints: names.map(name => ({ in: builtProgram(name), out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'parts/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: commonJs },
    plugins: [asFromTheirFile],
    logLevel: 'error',
  })
  return name => path.resolve(folder, `${name}.mjs`)
}

/** Where the program of a service is as it was built. */
export const builtProgram = (name: ServiceName): string => fileURLToPath(new URL('main.js', import.meta.resolve(`@carapace/${name}`)))

/** For packages in the older module format: they require builtin modules, and for optional packages that may be missing. */
const commonJs = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(import.meta.url)});`

/** A module finds the files next to it wherever it is joined. Positions in other packages are not mapped: their maps are large. */
const asFromTheirFile: Plugin = {
  name: 'as from their file',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path: file }): Promise<OnLoadResult> => {
      const contents = (await readFile(file, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
      const isOurs = !file.includes(`${path.sep}node_modules${path.sep}`)
      return { contents: isOurs ? contents : `${contents}\n//# sourceMappingURL=${sourceMapOfNothing}`, loader: 'js' }
    })
  },
}
