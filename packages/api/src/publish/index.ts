// From a directory to published content: collect files, detect the kind, write the manifest, stream the archive,
// deploy, follow the task, and find the cause of failures.
export * from './bundle.ts';
export { readArchive, type ArchivedFile } from './archive/read-archive.ts';
export { CompressedAgainError, unpackedTar } from './archive/unpacked-tar.ts';
export {
  compareArchives,
  compareFiles,
  readArchives,
  type ArchiveChanges,
  type ArchivedFiles,
  type FactChange,
  type FileChange,
} from './compare/compare-archives.ts';
export { packBundle, type PackedBundle, type PackOptions, type PackProgress } from './archive/pack-bundle.ts';
export { PROBLEM_TEXTS } from './problem-texts.ts';
export { mapLimited } from './collect/concurrency.ts';
export { defaultExclusion } from './collect/default-exclusions.ts';
export { secretFiles } from './collect/secret-files.ts';
export { changesSince, type KnownFile, type SeenFiles } from './compare/changes-since.ts';
export { compareWithBundle, type Difference } from './compare/compare.ts';
export {
  checkDependencies,
  type DependencyReport,
  type NeededPackage,
} from './dependencies/check-dependencies.ts';
export { languageOf } from './dependencies/language-of.ts';
export { linesOfUvLock } from './dependencies/uv-lock.ts';
export { completeRequirements, type ProposedRequirements } from './dependencies/requirements.ts';
export { publishedOf, type PublishedFiles, type PublishedOptions } from './deploy/published-files.ts';
export * from './deploy/content-name.ts';
export * from './deploy/deploy.ts';
export {
  canaryRuleFor,
  findStartedCanary,
  NoCanariesError,
  type CanaryOptions,
} from './deploy/start-canary.ts';
export { waitsForApproval } from './deploy/start-task.ts';
export { NoDraftsError, type DeployedDraft } from './deploy/draft.ts';
export * from './deploy/preview-name.ts';
export { findOtherRecord, type OtherRecord } from './records/find-other-record.ts';
export type { SourceCommit } from './deploy/commit.ts';
export { readCommit } from './deploy/read-commit.ts';
export type * from './deploy/deploy-events.ts';
export * from './deploy/resume-deploy.ts';
export { bundleNumber, deploysOf, rollbackTarget } from './deploy/rollback-target.ts';
export { stopTask, type StopResult } from './deploy/stop-task.ts';
export { ContentGoneError, ContentLockedError } from './deploy/target.ts';
export { DamagedUploadError } from './deploy/upload.ts';
export * from './deploy/watch-task.ts';
export * from './detect/inspect.ts';
export { diagnose } from './diagnose/diagnose.ts';
export { plainLine, type Diagnosis, type DiagnosisKind } from './diagnose/diagnosis.ts';
export { findProblem, type ProblemSources } from './diagnose/find-problem.ts';
export type { Problem } from './diagnose/problem.ts';
export { followProcesses, type FollowOptions } from './follow-processes.ts';
export { dependencyNames, parseDescription } from './manifest/r-description.ts';
export { checkManifest } from './manifest/read-manifest.ts';
export { findVariant, ParameterValueError, readParameterValues } from './parameters/parameter-values.ts';
export { preflight, type Finding } from './preflight/preflight.ts';
export { readServerFacts, type ServerFacts } from './preflight/server-facts.ts';
export { printable } from './printable.ts';
export * from './records/record.ts';
export { renderedPage, RENDERINGS, type Rendering } from './rendering/rendering.ts';
export * from './variables/read-variables.ts';
export { setVariables, type VariableChange } from './variables/set-variables.ts';
