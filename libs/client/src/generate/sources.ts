import { apis } from '@carapace/api'
import { sdkTable } from './table.ts'
import { sdkTypes } from './types.ts'

const head = '// Written by npm run docs from the declarations in libs/api.\n\n'

/** The sources that are derived from the declarations, by file name, as text: the published package depends on no other of this repository. */
export async function generatedSources(): Promise<Record<string, string>> {
  const all = Object.values(apis)
  return { 'operations.ts': head + sdkTable(all), 'types.ts': head + (await sdkTypes(all)) }
}
