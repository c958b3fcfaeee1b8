// Extracted directories as web sites.
export {
  createContentSite,
  type ContentSite,
  type ContentSiteOptions,
  type SiteResponse,
  type SiteRequest,
} from './content-site.ts';
