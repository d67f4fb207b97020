import path from 'node:path'
import type { SourceFile } from './structure.ts'

const promise = 'Each folder imports only those above it.'
const folderRow = /^\| `([\w-]+)\/` /gm

/**
 * Imports against the order of folders that the README of a package promises, one line each. Tests may import from anywhere.
 * @param readmes path and text of each README
 */
export function layerFaults(readmes: readonly (readonly [file: string, text: string])[], files: readonly SourceFile[]): string[] {
  return readmes
    .filter(([, text]) => text.includes(promise))
    .flatMap(([readme, text]) => {
      const sources = `${path.posix.dirname(readme)}/src/`
      const order = [...text.matchAll(folderRow)].map(([, folder]) => folder!)
      const layerOf = (file: string) => (file.startsWith(sources) ? order.indexOf(file.slice(sources.length).split('/')[0]!) : -1)
      const own = files.filter(({ file }) => layerOf(file) >= 0 && !file.endsWith('.test.ts') && !file.endsWith('.crash.ts'))
      return own.flatMap(({ file, imports }) =>
        imports
          .filter(found => layerOf(found.file) > layerOf(file))
          .map(found => `${file} imports ${found.file}, which is of a folder below it in ${readme}`),
      )
    })
}
