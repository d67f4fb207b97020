import { contractNames } from '../artifact.ts'

export const packageRoot = new URL('../../', import.meta.url)
export const artifactsRoot = new URL('artifacts/', packageRoot)
export const manifestUrl = new URL('manifest.json', artifactsRoot)

export const artifactNames = contractNames

/** No metadata hash: the same sources give the same bytes in any folder. */
export const settings = {
  optimizer: { enabled: true, runs: 200 },
  viaIR: false,
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const

export type Settings = typeof settings

export const artifactUrl = (name: string): URL => new URL(`${name}.json`, artifactsRoot)
