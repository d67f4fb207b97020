import path from 'node:path'
import { circlesIn, type Graph } from './circles.ts'
import type { Import } from './imports.ts'

export interface SourceFile {
  /** Path from the root of the repository. */
  file: string
  imports: readonly Import[]
}

const mostFiles = 30
const isTest = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file)
const folderOf = (file: string): string => path.posix.dirname(file)
/** The top level of a package puts its folders together, and holds what they share: as a folder it is part of every circle. Its files are judged. */
const isTopLevel = (folder: string): boolean => folder.endsWith('/src')
/** A list of what a service consumes names events of others, and they consume its own. */
const isList = (file: string): boolean => path.posix.basename(file) === 'consumes.ts'

/**
 * What is wrong with the structure of the sources, one line each: circles of values between files, circles between the folders of a package, also
 * by way of files of the top level, folders of more than 30 files.
 */
export function structureFaults(files: readonly SourceFile[]): string[] {
  const ofValues = graphOf(
    files,
    file => file,
    ({ isType }) => !isType,
  )
  const judged = files.filter(({ file }) => !isTest(file) && !isList(file))
  const ofAll = graphOf(
    judged,
    file => file,
    () => true,
  )
  const inFolders = judged.filter(({ file }) => !isTopLevel(folderOf(file)))
  const ofFolders = graphOf(inFolders, folderOf, ({ file }) => !isTopLevel(folderOf(file)))
  const crowded = [...sizes(files)].filter(([, count]) => count > mostFiles)
  return [
    ...circlesIn(ofValues).map(circle => `files import values of each other: ${circle.join(' ')}`),
    ...circlesIn(ofFolders).map(circle => `folders import each other: ${circle.join(' ')}`),
    ...circlesIn(ofAll)
      .filter(circle => new Set(circle.map(folderOf)).size > 1)
      .map(circle => `files of different folders import each other: ${circle.join(' ')}`),
    ...crowded.map(([folder, count]) => `${folder} has ${count} files, ${mostFiles} at most`),
  ]
}

function graphOf(files: readonly SourceFile[], nodeOf: (file: string) => string, counts: (found: Import) => boolean): Graph {
  const graph = new Map<string, Set<string>>()
  for (const { file, imports } of files) {
    const targets = graph.get(nodeOf(file)) ?? new Set()
    for (const found of imports) if (counts(found)) targets.add(nodeOf(found.file))
    graph.set(nodeOf(file), targets)
  }
  return graph
}

function sizes(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { file } of files) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1)
  return counts
}
