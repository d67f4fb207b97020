import solc from 'solc'
import type { Artifact, CodeRange } from '../artifact.ts'
import { artifactNames, type Settings, settings } from './layout.ts'
import { readSource } from './source.ts'

export interface Compilation {
  settings: Settings
  /** Every source the compiler read, by the name it read it under. */
  sources: Record<string, string>
  artifacts: Record<string, Artifact>
}

interface SolcOutput {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[]
  contracts?: Record<string, Record<string, SolcContract>>
}

interface SolcContract {
  abi: Artifact['abi']
  evm: {
    bytecode: { object: string }
    deployedBytecode: { object: string; immutableReferences: Record<string, CodeRange[]> }
  }
}

/** Compiles all contracts. Throws with the compiler's messages on an error or a warning. Duration: about 10 s. */
export function compile(): Compilation {
  const sources: Record<string, string> = {}
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(artifactNames.map(name => [`solidity/${name}.sol`, { content: readSource(`solidity/${name}.sol`, sources) }])),
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode'] } } },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (path: string) => ({ contents: readSource(path, sources) }) }),
  ) as SolcOutput
  const problems = (output.errors ?? []).filter(e => e.severity === 'error' || e.sourceLocation?.file.startsWith('solidity/'))
  if (problems.length > 0) throw new Error(problems.map(e => e.formattedMessage).join('\n'))
  const artifacts = Object.fromEntries(artifactNames.map(name => [name, artifactOf(name, output)]))
  return { settings, sources: sorted(sources), artifacts }
}

function artifactOf(name: string, output: SolcOutput): Artifact {
  const contract = output.contracts?.[`solidity/${name}.sol`]?.[name]
  if (!contract) throw new Error(`solidity/${name}.sol declares no contract ${name}`)
  const { bytecode, deployedBytecode } = contract.evm
  const immutables = Object.values(deployedBytecode.immutableReferences ?? {}).flat()
  immutables.sort((a, b) => a.start - b.start)
  return { contractName: name, abi: contract.abi, bytecode: `0x${bytecode.object}`, deployedBytecode: `0x${deployedBytecode.object}`, immutables }
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
