//! The lines of regions as metrics: none where no number was drawn in one.

use super::exposition::Page;
use crate::queue::RegionLine;

/// The label of a region, in whose name nothing has to be escaped.
fn labelled(line: &RegionLine) -> String {
    format!(",region=\"{}\"", line.name.as_str())
}

impl Page<'_> {
    pub(super) fn regions(&mut self, regions: &[RegionLine]) {
        if regions.is_empty() {
            return;
        }
        let name = "queue_region_waiting";
        let help = "Visitors who wait in the line of a region, who are among those that wait.";
        self.head(name, "gauge", help);
        for line in regions {
            self.line(name, &labelled(line), line.waiting());
        }
        let name = "queue_region_cursor";
        let help = "The last number of a region that was released.";
        self.head(name, "gauge", help);
        for line in regions {
            self.line(name, &labelled(line), line.cursor.0);
        }
    }
}
