// Extracted directories as web sites.
export {
  createContentSite,
  type ContentSite,
  type ContentSiteOptions,
  type SiteAnswer,
  type SiteRequest,
} from './content-site.ts';
